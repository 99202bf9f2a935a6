// SPDX-License-Identifier: BSD-3-Clause
// Copyright the authors of Snowball, see META-INF/licenses/LICENSE-snowball.txt
package io.github.pysparklance.index.text.snowball;

/**
 * Parent class of all snowball stemmers, which must implement <code>stem</code>
 */
public abstract class SnowballStemmer extends SnowballProgram {
    public abstract boolean stem();
};
