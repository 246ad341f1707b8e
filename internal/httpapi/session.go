package httpapi

func (a *API) registerSession() {}
