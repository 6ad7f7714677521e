"""The promises by method: a module with PROMISES, FAILING (outside the assumptions) and MUTANTS; listed, not named."""
