import { createContext } from 'react'

/**
 * Tells the form around a file's control whether the file is being sent: such a form cannot be submitted, but may be
 * closed.
 */
export const FormUpload = createContext<((isSending: boolean) => void) | undefined>(undefined)
