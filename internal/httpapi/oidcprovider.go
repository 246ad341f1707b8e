package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// How much the provider is asked, and how much of its answers is taken.
const (
	providerTime    = 10 * time.Second
	maxProviderBody = 1 << 20
	maxRedirects    = 3
	describedTime   = time.Hour // after which the provider is asked again what it is
	maxExchanges    = 8
)

// provider is the OpenID Connect provider. It is asked for its description when
// somebody signs in, and again as long as it does not give one.
type provider struct {
	settings  OIDC
	now       func() time.Time
	client    *http.Client
	exchanges limiter
	flight    singleflight.Group

	mu        sync.Mutex
	known     *party
	described time.Time
}

// party is what a provider and its client agree on.
type party struct {
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
}

// newProvider asks nothing yet; settings may be nil, and then nobody may ask.
func newProvider(settings *OIDC, now func() time.Time) *provider {
	if settings == nil {
		return nil
	}
	return &provider{
		settings: *settings, now: now, client: newProviderClient(settings.Transport),
		exchanges: newLimiter(maxExchanges, maxWaiting),
	}
}

func newProviderClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{Transport: boundedBodies{transport}, Timeout: providerTime, CheckRedirect: checkRedirect}
}

// boundedBodies makes the end of long bodies an error.
type boundedBodies struct{ http.RoundTripper }

// RoundTrip is part of http.RoundTripper.
func (b boundedBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxProviderBody)
	}
	return response, err
}

// checkRedirect keeps code and secret from going elsewhere, and what is read from
// coming over plain HTTP.
func checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case via[0].Method != http.MethodGet:
		return errors.New("the provider redirects a request that holds a secret")
	case len(via) > maxRedirects:
		return errors.New("the provider redirects too often")
	case via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https":
		return errors.New("the provider redirects to an address without TLS")
	default:
		return nil
	}
}

// discover returns what the provider says about itself, and asks for it if that is
// not known or too old; all who wait share one request.
func (p *provider) discover(ctx context.Context) (*party, error) {
	if known := p.current(); known != nil {
		return known, nil
	}
	answer := p.flight.DoChan("", func() (any, error) { return p.describe(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-answer:
		known, ok := result.Val.(*party)
		if result.Err != nil || !ok {
			return nil, providerProblem(codeOIDCProvider, "The provider cannot be used at the moment. Try again, or sign in with a password; the log of the server says more.",
				fmt.Errorf("read the description of the provider: %w", result.Err))
		}
		return known, nil
	}
}

func (p *provider) current() *party {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now().Sub(p.described) >= describedTime {
		return nil
	}
	return p.known
}

// describe asks the provider what it is and keeps the answer.
func (p *provider) describe(ctx context.Context) (*party, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), providerTime)
	defer cancel()
	described, err := oidc.NewProvider(ctx, p.settings.Issuer)
	if err != nil {
		return nil, err
	}
	known, err := p.agree(described)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.described = known, p.now()
	return known, nil
}

// agree checks the addresses of the provider and settles how to talk to it.
func (p *provider) agree(described *oidc.Provider) (*party, error) {
	var more struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := described.Claims(&more); err != nil {
		return nil, fmt.Errorf("the description is not usable: %w", err)
	}
	endpoint := described.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, more.Keys} {
		if err := checkEndpoint(p.settings.Issuer, address); err != nil {
			return nil, err
		}
	}
	endpoint.AuthStyle = p.authStyle(more.Methods)
	return &party{
		oauth: oauth2.Config{
			ClientID: p.settings.ClientID, ClientSecret: p.settings.ClientSecret, Endpoint: endpoint,
			RedirectURL: p.settings.PublicURL + oidcCallback, Scopes: p.settings.Scopes,
		},
		verifier: described.Verifier(&oidc.Config{ClientID: p.settings.ClientID, Now: p.now}),
	}, nil
}

// authStyle is how the client proves itself: by default as RFC 6749 wants it.
func (p *provider) authStyle(methods []string) oauth2.AuthStyle {
	basic := len(methods) == 0 || slices.Contains(methods, "client_secret_basic") || !slices.Contains(methods, "client_secret_post")
	if p.settings.ClientSecret != "" && basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// checkEndpoint refuses addresses that are less protected than the issuer's.
func checkEndpoint(issuer, text string) error {
	from, err := url.Parse(issuer)
	if err != nil {
		return fmt.Errorf("the issuer is not a URL: %w", err)
	}
	to, err := url.Parse(text)
	if err != nil || to.Host == "" || to.User != nil || to.Fragment != "" || to.Scheme != "https" && (to.Scheme != "http" || from.Scheme != "http") {
		return fmt.Errorf("the description has an address that is not usable: %q", text)
	}
	return nil
}

// identify gets the ID token for a code and returns who it speaks of.
func (p *provider) identify(ctx context.Context, began flow, code string) (person, error) {
	ctx, cancel := context.WithTimeout(ctx, providerTime)
	defer cancel()
	leave, err := p.exchanges.enter(ctx)
	if err != nil {
		return person{}, err
	}
	defer leave()
	known, err := p.discover(ctx)
	if err != nil {
		return person{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := known.oauth.Exchange(ctx, code, oauth2.VerifierOption(began.verifier()))
	if err != nil {
		return person{}, providerProblem(codeOIDCProvider, "The provider did not give what is needed to sign in. Try again; the log of the server says more.",
			fmt.Errorf("exchange the code: %w", withoutBody(err)))
	}
	who, err := p.verified(ctx, known, token, began)
	if err != nil {
		return person{}, providerProblem(codeOIDCToken, "What the provider says about you could not be verified. Try again; the log of the server says more.", err)
	}
	return who, nil
}

// withoutBody drops an answer's body, which may repeat secrets.
func withoutBody(err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || refused.Response == nil {
		return err
	}
	code := refused.ErrorCode
	if !goodErrorCode.MatchString(code) {
		code = "no error code"
	}
	return fmt.Errorf("the provider answers %d, %s", refused.Response.StatusCode, code)
}

// verified checks the ID token: signature, issuer, audience, times and nonce.
func (p *provider) verified(ctx context.Context, known *party, token *oauth2.Token, began flow) (person, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return person{}, errors.New("the provider gives no ID token")
	}
	id, err := known.verifier.Verify(ctx, raw)
	if err != nil {
		return person{}, fmt.Errorf("verify the ID token: %w", err)
	}
	if !equalTexts(id.Nonce, began.nonce()) {
		return person{}, errors.New("the ID token belongs to another sign-in: its nonce is another one")
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(token.AccessToken); err != nil {
			return person{}, fmt.Errorf("compare the ID token with the access token: %w", err)
		}
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return person{}, fmt.Errorf("read the ID token: %w", err)
	}
	if to, said := claims["azp"]; said && to != p.settings.ClientID {
		return person{}, errors.New("the ID token was made for another client")
	}
	return p.settings.personOf(id.Subject, claims)
}
