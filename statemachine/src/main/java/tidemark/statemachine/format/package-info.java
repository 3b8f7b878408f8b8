/** The bytes of batches, frames, segment headers and index files: encoding, decoding and checking, without any file. */
@NullMarked
package tidemark.statemachine.format;

import org.jspecify.annotations.NullMarked;
