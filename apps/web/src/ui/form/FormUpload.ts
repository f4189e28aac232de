import { createContext } from 'react'

/** Tells the form around a file's control whether the file is on its way: such a form cannot be sent, and may be put away. */
export const FormUpload = createContext<((isSending: boolean) => void) | undefined>(undefined)
