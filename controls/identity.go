package controls

var identity = &Fault{
	Name:      "identity",
	Why:       "an honest layer: nothing may be reported",
	Mechanism: Nothing,
	Want:      nothing,
}
