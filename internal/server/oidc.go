package server

import (
	"pciatlas/internal/auth"
	"pciatlas/internal/config"
	"pciatlas/internal/httpapi"
)

// oidcOptions gives the settings of OpenID Connect as the interface wants them, nil
// if it is turned off.
func oidcOptions(settings *config.Config) *httpapi.OIDC {
	from := settings.OIDC
	if from.Issuer == "" {
		return nil
	}
	roles := make(map[string]auth.Role, len(from.RoleMap))
	for value, role := range from.RoleMap {
		roles[value] = auth.Role(role)
	}
	return &httpapi.OIDC{
		Name: from.Name, Issuer: from.Issuer, ClientID: from.ClientID, ClientSecret: from.ClientSecret.Reveal(),
		PublicURL: settings.PublicURL, Scopes: from.Scopes, RoleClaim: from.RoleClaim,
		RoleMap: roles, DefaultRole: auth.Role(from.DefaultRole),
	}
}
