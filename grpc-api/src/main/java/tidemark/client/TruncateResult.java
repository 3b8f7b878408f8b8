package tidemark.client;

/**
 * What a truncation did, or in a dry run would do.
 *
 * @param previousStartOffset the start before
 * @param startOffset the start after
 * @param removedRecords number of records that are not readable any more
 * @param freedBytes disk space of whole segments that is freed on each replica, soon
 */
public record TruncateResult(long previousStartOffset, long startOffset, long removedRecords, long freedBytes) {}
