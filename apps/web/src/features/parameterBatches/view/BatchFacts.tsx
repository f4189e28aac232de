import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../../lib/format.ts'
import { Facts } from '../../../ui/detail/DetailPanel.tsx'
import { openedBeside } from '../../../ui/detail/useWalk.ts'
import { PageLink } from '../../../ui/PageLink.tsx'
import { WatchPart } from '../../../ui/work/WatchPage.tsx'
import { ParameterList } from '../ParameterList.tsx'
import { batchPage } from '../parameterBatches.page.ts'
import { batchTexts } from '../parameterBatches.texts.ts'

const { batch: words, fields } = batchTexts

function chosenLine({ filters, codes, isAll }: ParameterBatchDetail['queryParam']): string {
  if (isAll === 1) return words.chosenAll
  if (!codes) return words.chosenByFilters
  const count = formatCount(codes.length)
  return filters ? words.chosenByBoth(count) : words.chosenByCodes(count)
}

/** What the batch sets, by which rule, and who created it. */
export function BatchFacts({ batch }: { batch: ParameterBatchDetail }) {
  const { paramSetRule: rule, queryParam, originId, originCode } = batch
  return (
    <>
      <WatchPart title={words.values}>
        <ParameterList batch={batch} />
      </WatchPart>
      <WatchPart title={words.facts}>
        <Facts
          facts={[
            ...(originId === null
              ? []
              : ([
                  [
                    fields.origin,
                    <PageLink
                      key="origin"
                      page={batchPage}
                      search={{ batch: originId }}
                      opening={openedBeside('batch')}
                    >
                      {words.title(originCode ?? originId)}
                    </PageLink>,
                  ],
                ] as const)),
            ...(batch.remark === null ? [] : ([[fields.remark, batch.remark, true]] as const)),
            [fields.rule, words.rule(rule.upgradeCount, rule.interval)],
            [fields.devices, chosenLine(queryParam)],
            [fields.endTime, rule.endTime],
            [fields.createTime, batch.createTime],
            [fields.createBy, batch.createBy],
            ...(batch.approvedBy === null ? [] : ([[fields.approvedBy, batch.approvedBy]] as const)),
            [fields.finishTime, batch.finishTime],
            ...(batch.stopNote === null ? [] : ([[fields.stopNote, batch.stopNote]] as const)),
          ]}
        />
      </WatchPart>
    </>
  )
}
