/** Tests of the whole product: real server processes of the distribution, driven as users drive them. */
@NullMarked
package tidemark.chaos;

import org.jspecify.annotations.NullMarked;
