// Two organizations with a cabinet each, and users who reach less than what all organizations share.
import { downFilterOf, topicOf } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import { openDatabase } from '../../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../../apps/server/test/embedded-url.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertUser,
  type TestDevice,
} from '../../apps/server/test/factories.ts'
import { connectDevice } from '../../apps/server/test/mqtt-client.ts'
import { equipTypeOf, insertBoard } from '../../apps/server/test/packages.ts'
import type { ServerProcess } from '../../apps/server/test/server-process.ts'

const partType = 'PART_TYPE_EC_MASTER'

export type ReachWorld = Awaited<ReturnType<typeof createReachWorld>>

export async function createReachWorld(server: ServerProcess) {
  const { db, close } = await openDatabase({
    url: databaseUrlOf(server.dataDir),
    zone: 'Asia/Shanghai',
    poolSize: 1,
  })
  const modelId = await insertModel(db)
  const board = await insertBoard(db, { equipTypeId: await equipTypeOf(db, modelId), partType })
  const organizations = [await insertOrganization(db), await insertOrganization(db)]
  const without = await insertOrganization(db)
  const cabinets: Cabinet[] = []
  for (const organizationId of organizations) {
    const operatorId = await insertOperator(db, { organizationId })
    const device = await insertDevice(db, { operatorId, modelId })
    cabinets.push({ ...device, organizationId, commands: await connectCabinet(server.mqttPort, device) })
  }
  return {
    board,
    cabinets,
    /** The organization that has no devices. */
    without,

    async userOf(organizationId: number, functionCodes: readonly string[]) {
      const user = await insertUser(db, { organizationId, functionCodes })
      return { id: user.id, token: await server.client.signIn(user.loginName, user.password) }
    },

    /** Whether a run of the automatic upgrades that began after `at` is over. */
    async isOfferedSince(at: Date): Promise<boolean> {
      const { rows } = await sql`
        SELECT FROM job_run WHERE name = 'upgrades.automatic'
          AND last_started_at > ${at} AND last_finished_at >= last_started_at`.execute(db)
      return rows.length > 0
    },

    /** How many upgrade tasks there are of these packages. */
    async tasksOf(packageIds: readonly string[]): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        SELECT count(DISTINCT task_id)::int AS count FROM upgrade_task_package
        WHERE package_id = ANY(${packageIds}::int4[])`.execute(db)
      return rows[0]?.count ?? 0
    },

    close,
  }
}

export interface Cabinet extends TestDevice {
  organizationId: number
  /** What has come so far, the oldest first. */
  commands: Command[]
}

/** The fields of commands that have a file. */
export interface Command {
  /** The last level of the topic. */
  name: string
  url?: string
  sha256?: string
}

/** Reports an old version of its part, and from then on takes every command without an answer. */
async function connectCabinet(port: number, device: TestDevice): Promise<Command[]> {
  // Longer than it waits for the automatic upgrades: this client sends no pings.
  const client = await connectDevice(port, device, { keepalive: 600 })
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: downFilterOf(device.code), qos: 1 }],
  })
  await client.next('suback')
  await client.publish(topicOf(device.code, 'up', 'version'), {
    id: `${device.code}-1`,
    time: Date.now(),
    versions: [{ partType, addrId: '0', version: '1.3' }],
  })
  const commands: Command[] = []
  const take = async () => {
    for (;;) {
      const packet = await client.next('publish')
      if (!packet) return
      client.send({ cmd: 'puback', messageId: packet.messageId })
      commands.push({ ...JSON.parse(String(packet.payload)), name: packet.topic.split('/').at(-1) })
    }
  }
  void take()
  return commands
}
