package httpapi

// registerInventory adds the operations on what was read, and on the clusters
// and desktops behind it.
func (a *API) registerInventory() {}
