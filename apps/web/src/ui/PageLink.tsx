import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pagePaths } from '../lib/pages.ts'
import { useStore } from '../lib/store.ts'
import type { Opening } from './detail/useWalk.ts'

export interface PageLinkProps {
  /** The page's component key, e.g. `maintenance/exitWarning`. */
  page: string
  search?: object
  /** Where a link leads from one detail to another: how that is opened. */
  opening?: Opening
  className?: string | undefined
  title?: string
  children: ReactNode
}

/** A link to another page of the product; plain text for a user without that page. */
export function PageLink({ page, search = {}, opening = {}, children, ...rest }: PageLinkProps) {
  const path = useStore(pagePaths).get(page)
  if (path === undefined) return <span {...rest}>{children}</span>
  return (
    <Link
      to={path}
      search={search as never}
      {...opening}
      {...rest}
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </Link>
  )
}
