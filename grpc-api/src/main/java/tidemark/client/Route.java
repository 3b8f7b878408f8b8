package tidemark.client;

/**
 * Where one attempt goes.
 *
 * @param endpoint the server to ask
 * @param direct whether it is asked not to forward
 */
record Route(Endpoint endpoint, boolean direct) {}
