package pci

// BuiltinText gives the text of the built-in list to benchmarks.
func BuiltinText() string { return pciIDs }
