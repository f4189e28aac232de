import * as z from 'zod/mini'

/**
 * A sentence or a word of the server's in a reply. It is made and kept in Chinese, and answered in the language of the
 * reader; what people have written is no such text.
 */
export const saidOut = z.string()
