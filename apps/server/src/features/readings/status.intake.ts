/**
 * The writer of status reports. Several features make something of them: each is a consumer, and all of them write in
 * the transaction whose commit the devices wait for.
 */
import type { StatusReport } from '@voltkeep/contract/topics/index'
import type { Report, StatusConsumer } from '../../platform/devices/ingest/reports.ts'
import type { Writer } from '../../platform/devices/ingest/writer.ts'

/**
 * Hands reports to the consumers in their order, when what they go by is known. `tellReported` gets the devices' ids
 * after the commit.
 */
export const createStatusWriter = (
  consumers: readonly StatusConsumer[],
  {
    whenReady,
    tellReported,
  }: { whenReady: () => Promise<void>; tellReported: (deviceIds: Iterable<number>) => void },
): Writer<Report<StatusReport>> => ({
  name: 'status',
  async write(connection, reports) {
    await whenReady()
    const afterCommit: (() => void)[] = []
    for (const consumer of consumers) {
      const act = await consumer.write(connection, reports)
      if (act) afterCommit.push(act)
    }
    return () => {
      for (const act of afterCommit) act()
      tellReported(reports.map(({ deviceId }) => deviceId))
    }
  },
})
