package httpapi

func (a *API) registerAdministrators() {}
