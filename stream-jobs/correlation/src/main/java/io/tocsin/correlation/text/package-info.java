/** Texts of events: what they speak of, told without trying one pattern after another. */
package io.tocsin.correlation.text;
