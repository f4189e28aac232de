import { formatCount } from '../../lib/format.ts'
import { Nothing } from '../marks/Nothing.tsx'
import { PageLink } from '../PageLink.tsx'

/** How many of something belong to a node, as a link to them. */
export function TallyLink({
  count,
  measure = '',
  page,
  search,
}: {
  /** Undefined while it is not known. */
  count: number | undefined
  measure?: string
  page: string
  search: object
}) {
  if (!count) return <Nothing />
  return (
    <PageLink page={page} search={search}>
      {formatCount(count)}
      {measure && ` ${measure}`}
    </PageLink>
  )
}
