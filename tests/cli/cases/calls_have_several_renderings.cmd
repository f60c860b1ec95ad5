polytrace calls --json --style profile tarmac/calls.tarmac
polytrace calls --style list --unreturned merge --symbols symbols/calls.nm tarmac/calls.tarmac
