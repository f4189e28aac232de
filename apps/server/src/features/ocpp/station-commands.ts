/**
 * Commands to stations: each becomes one or several calls, one after the other, and how they end is the command's reply.
 *
 * A station does not know the ids of commands, and a command that was sent goes out again over a new connection. So what
 * must not be done twice, a restart or the unlocking of a connector, is noted before it is asked for.
 */

import type { OutputOf } from '@voltkeep/contract'
import type { downTopics } from '@voltkeep/contract/topics/index'
import type { StationResult } from '../../platform/devices/ocpp/line.ts'
import type { CommandReplyGiven } from '../intake/index.ts'
import { secretKey } from './ocpp.rules.ts'
import type { Session } from './session.ts'

type Command<Name extends keyof typeof downTopics> = OutputOf<(typeof downTopics)[Name]['payload']>
/** Null: it ends later, by what the station says then. */
export type CommandEnd = Omit<CommandReplyGiven, 'commandId'> | null

export interface CommandNeeds {
  /** Notes what is not to be done again. */
  noteOnce(session: Session, commandId: string): Promise<void>
  noteRebootKeys(session: Session): Promise<void>
  /** Reads these keys back, or all, and reports them. */
  readConfiguration(session: Session, keys: readonly string[]): Promise<void>
}

const done: CommandEnd = { outcome: 'done' }
const failed = (reason: string): CommandEnd => ({ outcome: 'failed', reason: reason.slice(0, 200) })
const refused = (reason: string): CommandEnd => ({ outcome: 'refused', reason: reason.slice(0, 200) })

/** The connection has ended under the command: it goes out again. */
class Gone extends Error {}

/** What a station said in place of a result. */
class NoResult extends Error {
  readonly end: CommandEnd

  constructor(end: CommandEnd) {
    super('no result')
    this.end = end
  }
}

function payloadOf(result: StationResult): Record<string, unknown> {
  switch (result.kind) {
    case 'result':
      return result.payload
    case 'gone':
      throw new Gone('gone')
    case 'silent':
      throw new NoResult(failed('设备未响应'))
    case 'error':
      throw new NoResult(
        /^Not(Implemented|Supported)$/.test(result.code)
          ? refused('设备不支持此操作')
          : failed(`设备应答错误 ${result.code} ${result.text}`.trim()),
      )
  }
}

export function createStationCommands({ noteOnce, noteRebootKeys, readConfiguration }: CommandNeeds) {
  const ask = async ({ station }: Session, action: string, payload: object) =>
    payloadOf(await station.ask(action, payload))

  async function byStatus(
    session: Session,
    action: string,
    payload: object,
    ends: Readonly<Record<string, CommandEnd>>,
  ): Promise<CommandEnd> {
    const { status } = await ask(session, action, payload)
    return ends[String(status)] ?? failed(`设备应答 ${String(status)}`)
  }

  /** Of what must not be done twice: null where it has not been asked for before. */
  async function onlyOnce(session: Session, commandId: string): Promise<boolean> {
    if (session.onceCommandId === commandId) return false
    await noteOnce(session, commandId)
    session.onceCommandId = commandId
    return true
  }

  async function restart(session: Session, id: string): Promise<CommandEnd> {
    // Asked for before, and the station has connected again since.
    if (!(await onlyOnce(session, id))) return done
    return await byStatus(
      session,
      'Reset',
      { type: 'Soft' },
      { Accepted: done, Rejected: failed('设备拒绝重启') },
    )
  }

  async function unlock(session: Session, id: string, connectorId: number): Promise<CommandEnd> {
    if (!(await onlyOnce(session, id)))
      return failed('设备应答之前连接中断，是否已执行未知，请查看现场后再试')
    return await byStatus(
      session,
      'UnlockConnector',
      { connectorId },
      {
        Unlocked: done,
        UnlockFailed: failed('设备解锁失败'),
        NotSupported: refused('设备不支持解锁'),
      },
    )
  }

  const setAvailability = (session: Session, connectorId: number, type: 'Operative' | 'Inoperative') =>
    byStatus(
      session,
      'ChangeAvailability',
      { connectorId, type },
      // Scheduled: after the charging that is under way.
      { Accepted: done, Scheduled: done, Rejected: failed('设备拒绝更改可用状态') },
    )

  async function stopCharging(session: Session, compartment: number | undefined): Promise<CommandEnd> {
    const wanted = [...session.transactions].filter(
      ([, connectorId]) => compartment === undefined || connectorId === compartment,
    )
    if (wanted.length === 0) return failed('没有进行中的充电')
    for (const [transactionId] of wanted) {
      const { status } = await ask(session, 'RemoteStopTransaction', { transactionId })
      if (status !== 'Accepted') return failed('设备拒绝停止充电')
    }
    return done
  }

  async function reportStatus(session: Session): Promise<CommandEnd> {
    const numbers = [...session.connectors.keys()].sort((a, b) => a - b)
    const wishes = [
      ...(numbers.length === 0 ? [{}] : numbers.map((connectorId) => ({ connectorId }))).map((of) => ({
        requestedMessage: 'StatusNotification',
        ...of,
      })),
      { requestedMessage: 'MeterValues' },
    ]
    let end: CommandEnd = failed('设备拒绝上报')
    for (const wish of wishes) {
      const { status } = await ask(session, 'TriggerMessage', wish)
      if (status === 'Accepted') end = done
      else if (status === 'NotImplemented' && end !== done) end = refused('设备不支持立即上报')
    }
    return end
  }

  async function act(session: Session, { id, action, compartment }: Command<'action'>): Promise<CommandEnd> {
    switch (action) {
      case 'restart':
        return await restart(session, id)
      case 'openDoor':
        return await unlock(session, id, compartment ?? 1)
      case 'disableCompartment':
        return await setAvailability(session, compartment ?? 0, 'Inoperative')
      case 'enableCompartment':
        return await setAvailability(session, compartment ?? 0, 'Operative')
      case 'stopCharging':
        return await stopCharging(session, compartment)
      case 'reportStatus':
        return await reportStatus(session)
    }
  }

  async function setParameters(
    session: Session,
    { parameters }: Command<'setParameters'>,
  ): Promise<CommandEnd> {
    const asked: string[] = []
    let end: CommandEnd = done
    for (const { id: key, value } of parameters) {
      if (secretKey.test(key)) {
        end = refused(`${key} 是设备的密钥，请在设备中重置密钥`)
        break
      }
      const { status } = await ask(session, 'ChangeConfiguration', { key, value: String(value) })
      asked.push(key)
      if (status === 'RebootRequired') session.rebootKeys.add(key)
      else if (status === 'NotSupported') end = refused(`设备没有配置项 ${key}`)
      else if (status !== 'Accepted') end = failed(`设备拒绝设置 ${key}`)
      if (end !== done) break
    }
    if (session.rebootKeys.size > 0) await noteRebootKeys(session)
    // A value counts when it is read back; what waits for a restart is read after it.
    const readable = asked.filter((key) => !session.rebootKeys.has(key))
    if (readable.length > 0) await readConfiguration(session, readable)
    return end
  }

  async function upgrade(session: Session, { url }: Command<'upgrade'>): Promise<CommandEnd> {
    await ask(session, 'UpdateFirmware', {
      location: url,
      retrieveDate: new Date().toISOString(),
      retries: 3,
      retryInterval: 60,
    })
    return done
  }

  async function extractLog(
    session: Session,
    { id, url, startTime, endTime }: Command<'extractLog'>,
  ): Promise<CommandEnd> {
    session.diagnosticsId = id
    const { fileName } = await ask(session, 'GetDiagnostics', {
      location: directoryOf(url),
      startTime: new Date(startTime).toISOString(),
      stopTime: new Date(endTime).toISOString(),
      retries: 1,
      retryInterval: 10,
    })
    if (typeof fileName !== 'string' || fileName === '') return failed('设备没有可上传的诊断文件')
    return null
  }

  /** Null also where the connection ended: then the command goes out again. */
  return async (session: Session, topic: string, command: object): Promise<CommandEnd> => {
    try {
      switch (topic as keyof typeof downTopics) {
        case 'action':
          return await act(session, command as Command<'action'>)
        case 'setParameters':
          return await setParameters(session, command as Command<'setParameters'>)
        case 'upgrade':
          return await upgrade(session, command as Command<'upgrade'>)
        case 'extractLog':
          return await extractLog(session, command as Command<'extractLog'>)
        default:
          return refused('该设备的协议不支持此操作')
      }
    } catch (error) {
      if (error instanceof Gone) return null
      if (error instanceof NoResult) return error.end
      throw error
    }
  }
}

/** As a directory: stations add the name of the file to it. */
export function directoryOf(address: string): string {
  const { origin, pathname, searchParams } = new URL(address)
  return `${origin}${pathname}/${searchParams.get('expires')}/${searchParams.get('signature')}/`
}
