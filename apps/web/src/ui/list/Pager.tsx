import { pageSizes } from '@voltkeep/contract/preferences'
import { Pagination } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import type { List } from './useList.ts'

export function Pager({ list, isNarrow }: { list: List; isNarrow: boolean }) {
  if (list.total === 0 || list.isWhole) return null
  return (
    <Pagination
      size="small"
      current={list.pageNum}
      pageSize={list.pageSize}
      total={list.total}
      pageSizeOptions={[...pageSizes]}
      showSizeChanger
      simple={isNarrow}
      showQuickJumper={!isNarrow && list.total > list.pageSize * 10}
      showTotal={(total) => texts.list.total(formatCount(total))}
      onChange={list.turn}
    />
  )
}
