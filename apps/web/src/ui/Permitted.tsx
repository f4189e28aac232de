import type { ReactNode } from 'react'
import { usePage } from '../lib/pages.ts'

/** Whether the page's allowed functions contain the code. */
export function usePermission(code: string): boolean {
  return usePage().allRole.includes(code)
}

/** The code that decides: the first of several. */
export const codeOf = (code: string | readonly string[]) =>
  typeof code === 'string' ? code : (code[0] ?? '')

/**
 * Shows its content only to a user with the function on this page.
 * This is comfort, not protection: the server checks every call.
 */
export function Permitted({ code, children }: { code: string | readonly string[]; children: ReactNode }) {
  return usePermission(codeOf(code)) ? children : null
}
