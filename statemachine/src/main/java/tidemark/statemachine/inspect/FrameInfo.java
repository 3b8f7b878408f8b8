package tidemark.statemachine.inspect;

import tidemark.statemachine.format.FrameHeader;

/**
 * A frame that was found in a segment file.
 *
 * @param position where it begins
 * @param header its numbers, verified
 * @param bodyIntact whether the batch's checksum fits
 */
public record FrameInfo(long position, FrameHeader header, boolean bodyIntact) {}
