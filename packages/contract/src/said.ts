import * as z from 'zod/mini'

/**
 * A sentence or a word of the server's in a reply. It is made and kept in Chinese, and answered in the language of the
 * reader; what people have written is no such text.
 */
export const saidOut = z.string()

/**
 * The name of a row with which an installation starts: answered in the language of the reader while it is the one that it
 * was planted with. Not for what a form is filled with: saving it would rename the row.
 */
export const seededOut = z.string()
