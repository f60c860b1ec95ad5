polytrace report tt6/thread_002.tt6
