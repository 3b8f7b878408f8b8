/** Real server processes of the unpacked distribution, on loopback, with the faults that can be done to a process. */
@NullMarked
package tidemark.chaos.process;

import org.jspecify.annotations.NullMarked;
