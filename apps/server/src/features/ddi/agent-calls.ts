// The calls of hawkBit's DDI. An agent goes by the HTTP status alone; the envelope says why to whoever reads its log.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import { rangeOf, sendKeptFile } from '../../platform/http/files/index.ts'
import type { AdmittedDevice, DeviceDoor } from '../intake/index.ts'
import { actionIdOf, bodyLimitBytes, sleepText } from './ddi.rules.ts'
import type { Ddi, Deployment } from './ddi.service.ts'
import {
  type ArtifactLinks,
  artifactAnswer,
  cancelAnswer,
  deploymentAnswer,
  pollAnswer,
} from './ddi-answers.ts'

/** The only one there is. */
const tenant = 'DEFAULT'
const base = '/:tenant/controller/v1/:controllerId'
/** How often a download that lasts is shown. */
const progressMs = 15_000

interface DdiRoutes {
  ddi: Ddi
  door: DeviceDoor
  files: Files
  pollSeconds: number
  /** What addresses begin with; undefined: as the agent has come. */
  publicUrl: string | undefined
  /** What goes on beside an answer has failed. */
  failed: (error: unknown) => void
}

interface Own {
  Params: { tenant: string; controllerId: string; actionId: string; fileName: string }
  Querystring: { expires?: unknown; signature?: unknown }
}
type OwnRequest = FastifyRequest<Own>

export function mountDdi(
  http: FastifyInstance,
  { ddi, door, files, pollSeconds, publicUrl, failed }: DdiRoutes,
): void {
  const admit = ({ params, headers, ip }: OwnRequest) => {
    if (params.tenant !== tenant) refuse('notFound')
    return door.admit({ code: params.controllerId, proof: proofOf(headers.authorization), address: ip })
  }

  /** Answers a device about one of its actions; what it has no business with is recorded. */
  async function about<T>(
    request: OwnRequest,
    device: AdmittedDevice,
    work: (actionId: number) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(actionIdOf(request.params.actionId) ?? refuse('deploymentNotFound'))
    } catch (error) {
      const reason = error instanceof Refusal ? turnedAwayBy[error.refusal] : undefined
      if (reason) door.turnedAway(device, reason, (error as Refusal).message, request.ip)
      throw error
    }
  }

  const originOf = ({ protocol, host }: OwnRequest) => publicUrl ?? `${protocol}://${host}`
  const ownUrl = (request: OwnRequest, { code }: AdmittedDevice) =>
    `${originOf(request)}/${tenant}/controller/v1/${code}`

  /** Signed, so that an agent that shows its secret to nobody but the server of its polls gets the file as well. */
  function linksTo(
    request: OwnRequest,
    device: AdmittedDevice,
    { id, order, file, deadline }: Deployment,
  ): ArtifactLinks {
    const path = `${ownUrl(request, device)}/softwaremodules/${id}/artifacts/${encodeURIComponent(order.fileName)}`
    const { search } = new URL(files.addressFor(device.code, file.id, { expiresAt: deadline }))
    return { file: `${path}${search}`, md5: `${path}.MD5SUM${search}` }
  }

  http.get<Own>(base, async (request) => {
    const device = await admit(request)
    const due = await ddi.poll(device, request.ip)
    return pollAnswer(ownUrl(request, device), sleepText(pollSeconds), due)
  })

  for (const [name, read] of [
    ['deploymentBase', ddi.readDeployment],
    ['installedBase', ddi.readInstalled],
  ] as const) {
    http.get<Own>(`${base}/${name}/:actionId`, async (request) => {
      const device = await admit(request)
      const deployment = await about(request, device, (id) => read(device, id))
      return deploymentAnswer(deployment, linksTo(request, device, deployment))
    })
  }

  http.get<Own>(`${base}/cancelAction/:actionId`, async (request) => {
    const device = await admit(request)
    return cancelAnswer(await about(request, device, (id) => ddi.readCancel(device, id)))
  })

  for (const [name, take] of [
    ['deploymentBase', ddi.takeFeedback],
    ['cancelAction', ddi.takeCancelFeedback],
  ] as const) {
    http.post<Own>(
      `${base}/${name}/:actionId/feedback`,
      { bodyLimit: bodyLimitBytes },
      async (request, reply) => {
        const device = await admit(request)
        await about(request, device, (id) => take(device, id, request.body))
        return reply.code(200).send()
      },
    )
  }

  for (const method of ['PUT', 'POST'] as const) {
    http.route<Own>({
      method,
      url: `${base}/configData`,
      bodyLimit: bodyLimitBytes,
      handler: async (request, reply) => {
        const device = await admit(request)
        await ddi.takeAttributes(device, request.body)
        return reply.code(200).send()
      },
    })
  }

  http.get<Own>(`${base}/softwaremodules/:actionId/artifacts`, async (request) => {
    const device = await admit(request)
    const deployment = await about(request, device, (id) => ddi.findArtifact(device, id))
    return [artifactAnswer(deployment, linksTo(request, device, deployment))]
  })

  http.route<Own>({
    method: ['GET', 'HEAD'],
    url: `${base}/softwaremodules/:actionId/artifacts/:fileName`,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const device = await admitToFile(request)
      const { fileName } = request.params
      const isSum = fileName.endsWith('.MD5SUM')
      const name = isSum ? fileName.slice(0, -'.MD5SUM'.length) : fileName
      const { id, order, file } = await about(request, device, (id) => ddi.findArtifact(device, id, name))
      if (isSum) return reply.type('text/plain; charset=utf-8').send(`${file.md5}  ${order.fileName}`)
      const kept = await files.find(file.id)
      if (request.method === 'GET')
        followDownload(request, reply, kept.sizeBytes, (percent) => ddi.sent(device, id, percent))
      return sendKeptFile(request, reply, files, {
        file: { ...kept, name: order.fileName, contentType: 'application/octet-stream' },
        disposition: 'attachment',
      })
    },
  })

  /** By the signature in the address, or as for every other call. */
  async function admitToFile(request: OwnRequest): Promise<AdmittedDevice> {
    const { expires, signature } = request.query
    const { controllerId: code, actionId, tenant: named } = request.params
    if (request.headers.authorization !== undefined || signature === undefined || named !== tenant)
      return admit(request)
    const id = actionIdOf(actionId)
    const isRight = async (device: AdmittedDevice) => {
      try {
        if (id === null) return false
        const { file } = await ddi.findArtifact(device, id)
        await files.findByAddress({
          fileId: file.id,
          holder: code,
          expires: String(expires),
          signature: String(signature),
        })
        return true
      } catch (error) {
        // Only who had the address of such a file has one that has expired.
        if (error instanceof Refusal && hidden.includes(error.refusal)) return false
        throw error
      }
    }
    return (await door.admitByAddress({ code, address: request.ip }, isRight)) ?? refuse('deploymentNotFound')
  }

  /** Shows a download by the bytes that leave: most agents say nothing while it lasts. */
  function followDownload(
    request: OwnRequest,
    reply: FastifyReply,
    sizeBytes: number,
    tell: (percent: number) => Promise<void>,
  ): void {
    const range = rangeOf(request.headers.range, sizeBytes)
    if (range === 'outside') return
    const [start, end] = range === 'whole' ? [0, sizeBytes - 1] : [range.start, range.end]
    const { socket } = request.raw
    const before = socket.bytesWritten
    // The last per cent is the answer's end.
    const percent = () =>
      Math.min(99, Math.floor(((start + socket.bytesWritten - before) / Math.max(1, sizeBytes)) * 100))
    const say = (of: number) => void tell(of).catch(failed)
    say(percent())
    const timer = setInterval(() => say(percent()), progressMs)
    reply.raw.once('close', () => {
      clearInterval(timer)
      // What nginx sends is not seen here.
      const isOurs = !reply.hasHeader('x-accel-redirect')
      const isWhole = isOurs && reply.raw.writableFinished && [200, 206].includes(reply.statusCode)
      if (isWhole && end === sizeBytes - 1) say(100)
    })
  }
}

/** What is told to who shows a signed address as if there were no such device. */
const hidden: readonly Refusal['refusal'][] = ['deploymentNotFound', 'addressInvalid']

const turnedAwayBy: Partial<Record<Refusal['refusal'], 'unknownUpgrade' | 'staleUpgrade'>> = {
  deploymentNotFound: 'unknownUpgrade',
  cancelNotAsked: 'unknownUpgrade',
  deploymentOver: 'staleUpgrade',
}

/** `TargetToken <the device's secret>`, or `GatewayToken <that of gateways>`. */
function proofOf(header: string | undefined) {
  const match = /^(TargetToken|GatewayToken)\s+(\S{1,256})\s*$/i.exec(header ?? '')
  if (!match) return null
  const [, kind = '', secret = ''] = match
  return { of: kind.toLowerCase() === 'targettoken' ? 'device' : 'gateway', secret } as const
}
