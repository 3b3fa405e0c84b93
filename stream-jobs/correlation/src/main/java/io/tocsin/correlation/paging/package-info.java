/** What the pager is told, and when. */
package io.tocsin.correlation.paging;
