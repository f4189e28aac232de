import type { ReactNode } from 'react'
import { usePage } from '../lib/pages.ts'

/** Whether the page's allowed functions contain the code. */
export function usePermission(code: string): boolean {
  return usePage().allRole.includes(code)
}

/**
 * Shows its content only to a user with the function on this page. Of several codes the first decides.
 * This is comfort, not protection: the server checks every call.
 */
export function Permitted({ code, children }: { code: string | readonly string[]; children: ReactNode }) {
  const first = typeof code === 'string' ? code : (code[0] ?? '')
  return usePermission(first) ? children : null
}
