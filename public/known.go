package public

import (
	"path"

	"github.com/preservecheck/preservecheck/wire"
)

// product is what a tunnel's program is known to print for its URL.
type product struct {
	name string
	url  string // pattern as in path.Match, so that no slash fits *
	from string // where that was read, and when
}

// products say which URLs are tried first. One that is not here works, too.
var products = []product{
	// Quick tunnels have names of several words. api.trycloudflare.com and pages of documentation, which are printed before, do not fit.
	{"cloudflared", "https://*-*-*.trycloudflare.com", "https://github.com/cloudflare/cloudflared/issues/555 and the sample output in https://github.com/Shopify/shopify-app-template-node/pull/1164, 2026-11-30"},
	{"ngrok", "https://*.ngrok-free.app", "https://docs.quarkiverse.io/quarkus-ngrok/dev, 2026-11-30"},
	{"ngrok", "https://*.ngrok-free.dev", "https://ngrok.com/docs/gateway/domains/, 2026-11-30"},
	{"ngrok", "https://*.ngrok.app", "https://ngrok.com/docs/gateway/domains/, 2026-11-30"},
	{"tailscale funnel", "https://*.*.ts.net", "https://tailscale.com/docs/reference/tailscale-cli/funnel.md, 2026-11-30"},
	{"tailscale funnel", "https://*.*.ts.net:*", "https://tailscale.com/docs/reference/tailscale-cli/funnel.md (--https=PORT), 2026-11-30"},
}

// knownTunnel reports whether a URL looks like the far end of a known product's tunnel.
func knownTunnel(b wire.Base) bool {
	for _, p := range products {
		if ok, _ := path.Match(p.url, b.String()); ok {
			return true
		}
	}
	return false
}
