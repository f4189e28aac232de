import type { ReactNode } from 'react'

/** The list that a tree select or a cascader refers to by aria-owns: antd sets the id on no element. */
export function Owned({ by, children }: { by: string | undefined; children: ReactNode }) {
  return <div id={by && `${by}_list`}>{children}</div>
}
