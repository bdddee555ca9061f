package reactions

import "testing"

func TestBuiltinLoads(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 13 {
		t.Errorf("%d clients", len(all))
	}
}
