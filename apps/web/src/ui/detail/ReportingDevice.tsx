import type { EventRow } from '@voltkeep/contract/events'
import { texts } from '../../lib/texts/index.ts'
import { DeviceCode } from '../DeviceCode.tsx'
import { OnlineTag } from '../marks/OnlineTag.tsx'
import { DetailSection, Facts } from './DetailPanel.tsx'

const { fields } = texts

/** The device that reported an alarm or an event. */
export function ReportingDevice({
  of: report,
}: {
  of: Pick<
    EventRow,
    | 'equipId'
    | 'code'
    | 'isOnline'
    | 'equipName'
    | 'regionName'
    | 'address'
    | 'operatorName'
    | 'equipTypeName'
    | 'equipModelName'
  >
}) {
  return (
    <DetailSection title={fields.device} aside={<OnlineTag isOnline={report.isOnline} />}>
      <Facts
        facts={[
          [fields.code, <DeviceCode key="code" code={report.code} id={report.equipId} />],
          [fields.name, report.equipName],
          [fields.region, report.regionName],
          [fields.address, report.address],
          [fields.operator, report.operatorName],
          [fields.equipType, report.equipTypeName],
          [fields.model, report.equipModelName],
        ]}
      />
    </DetailSection>
  )
}
