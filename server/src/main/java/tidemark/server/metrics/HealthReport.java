package tidemark.server.metrics;

import java.util.List;

/**
 * How the server is.
 *
 * @param ready it serves, knows a leader of the catalog, and runs what belongs here
 * @param problems what is wrong, a line each; empty while all is well
 * @param warnings what an operator should know, although it works
 */
public record HealthReport(boolean ready, List<String> problems, List<String> warnings) {}
