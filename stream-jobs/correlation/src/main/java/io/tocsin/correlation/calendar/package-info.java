/** When planned work goes on: once, or again and again in the time of a place. */
package io.tocsin.correlation.calendar;
