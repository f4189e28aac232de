import { pageSizes } from '@voltkeep/contract/preferences'
import { Suspense } from 'react'
import { useHasShown } from '../../../lib/firstShown.ts'
import { formatCount } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'
import { Pagination } from '../filter/Later.tsx'
import type { List } from '../useList.ts'

/** Numbers of rows are grouped; page numbers are not, here and elsewhere: they are typed as they are shown. */
export function Pager({
  list,
  measure,
  isNarrow,
}: {
  list: List
  /** Of a row: 台, 人, 个, 条. */
  measure: string
  isNarrow: boolean
}) {
  const hasShown = useHasShown()
  // On a phone there is no size to choose either.
  const isOnlyPage = isNarrow && list.pageNum === 1 && list.total <= list.pageSize
  if (list.total === 0 || list.isWhole || isOnlyPage || !hasShown) return null
  return (
    <Suspense>
      <Pagination
        size="small"
        current={list.pageNum}
        pageSize={list.pageSize}
        total={list.total}
        pageSizeOptions={[...pageSizes]}
        showSizeChanger
        simple={isNarrow}
        showQuickJumper={!isNarrow && list.total > list.pageSize * 10}
        showTotal={(total) => texts.list.total(formatCount(total), measure)}
        onChange={list.turn}
      />
    </Suspense>
  )
}
