package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// delayed is a long way to the API.
func delayed(request, answer time.Duration) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(request)
			got := httptest.NewRecorder()
			h.ServeHTTP(got, r)
			time.Sleep(answer)
			for name, values := range got.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(got.Code)
			_, _ = w.Write(got.Body.Bytes())
		})
	}
}

// far is a long way to a server: one round trip to connect and one to ask.
type far struct {
	check.Way
	trip time.Duration
}

func (f far) Do(ctx context.Context, r wire.Request) *wire.Answer {
	time.Sleep(2 * f.trip)
	return f.Way.Do(ctx, r)
}

// BenchmarkTenRows is a run of the article's ten rows where the stub is a round trip away, the layer too.
func BenchmarkTenRows(b *testing.B) {
	for _, trip := range []time.Duration{0, 50 * time.Millisecond} {
		b.Run(fmt.Sprint(trip), func(b *testing.B) {
			p := placed(b, ledger.HubLimits{}, delayed(trip/2, trip/2))
			layer, err := controls.Start("identity", p.url)
			if err != nil {
				b.Fatal(err)
			}
			defer layer.Close()
			for b.Loop() {
				c := p.open()
				conf := p.config(c, far{clientOf(b, layer.URL()), trip})
				conf.Direct = far{conf.Direct, trip}
				if d := check.Run(context.Background(), conf); d.Result.Exit != 0 {
					b.Fatal(d.Result.Why, verdicts(d))
				}
				if err := c.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

func hexOf(n, digits int) string { return fmt.Sprintf("%0*x", digits, n) }
