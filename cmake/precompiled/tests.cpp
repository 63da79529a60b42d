// The target of the tests' precompiled header needs a source.
