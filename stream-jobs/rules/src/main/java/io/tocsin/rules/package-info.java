/** What people know about their network's messages, as documents, and the signals it makes. */
package io.tocsin.rules;
