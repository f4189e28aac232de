import type { ReactNode } from 'react'

/** The list that a tree select or a cascader says it owns: antd names it, and gives the name to none. */
export function Owned({ by, children }: { by: string | undefined; children: ReactNode }) {
  return <div id={by && `${by}_list`}>{children}</div>
}
