package tidemark.statemachine.read;

import tidemark.statemachine.model.StreamId;
import tidemark.statemachine.segment.SegmentList;

/**
 * What can be read of a stream at one moment: all of it is in files. Immutable; any thread.
 *
 * @param startOffset first readable offset; may lie within a segment, and within a batch
 * @param endOffset offset of the next record
 * @param lastTimestampMs of the last record ever appended; 0 if none
 */
public record StreamSnapshot(
        StreamId id, long startOffset, long endOffset, long lastTimestampMs, boolean sealed, SegmentList segments) {}
