// The bodies that agents read. Some take one chunk with one file and a part by the name `bApp` alone, and need each of the
// three hashes.
import type { Deployment } from './ddi.service.ts'

interface Link {
  href: string
}

export function pollAnswer(
  own: string,
  sleep: string,
  due: {
    wantsAttributes: boolean
    cancelId: number | null
    deploymentId: number | null
    installedId: number | null
  },
) {
  const { wantsAttributes, cancelId, deploymentId, installedId } = due
  const links: Record<string, Link> = {}
  if (deploymentId !== null) links.deploymentBase = { href: `${own}/deploymentBase/${deploymentId}` }
  if (cancelId !== null) links.cancelAction = { href: `${own}/cancelAction/${cancelId}` }
  if (installedId !== null) links.installedBase = { href: `${own}/installedBase/${installedId}` }
  if (wantsAttributes) links.configData = { href: `${own}/configData` }
  return { config: { polling: { sleep } }, _links: links }
}

export interface ArtifactLinks {
  /** Of the file itself. */
  file: string
  md5: string
}

export function artifactAnswer({ order, file }: Deployment, links: ArtifactLinks) {
  const { md5, sha1, sha256, sizeBytes: size } = file
  const download = { href: links.file }
  const md5sum = { href: links.md5 }
  return {
    filename: order.fileName,
    hashes: { sha1, md5, sha256 },
    size,
    _links: { download, md5sum, 'download-http': download, 'md5sum-http': md5sum },
  }
}

export function deploymentAnswer(deployment: Deployment, links: ArtifactLinks) {
  const { id, order } = deployment
  return {
    id: String(id),
    deployment: {
      download: 'forced',
      update: 'forced',
      chunks: [
        {
          part: 'bApp',
          version: order.version,
          name: `${order.pcbCode} ${order.partType}`,
          artifacts: [artifactAnswer(deployment, links)],
        },
      ],
    },
  }
}

export const cancelAnswer = (id: number) => ({ id: String(id), cancelAction: { stopId: String(id) } })
