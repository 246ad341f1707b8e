package httpapi

func (a *API) registerSetup() {}
