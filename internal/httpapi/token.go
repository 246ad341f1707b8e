package httpapi

func (a *API) registerTokens() {}
