package tidemark.client;

/**
 * A stream that exists now.
 *
 * @param stream its description
 * @param created false if it existed already with the same settings. Also false when a first attempt created it and its
 *     answer was lost
 */
public record CreateResult(StreamInfo stream, boolean created) {}
