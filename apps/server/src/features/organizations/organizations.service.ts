import type { listOperators, OrganizationNode, ParsedInputFor } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { scopeOf } from '../../platform/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import * as queries from './organizations.queries.ts'

export type Organizations = ReturnType<typeof createOrganizations>

export function createOrganizations({ db }: { db: Db }) {
  return {
    /** A tree with the caller's own organization at its root; all of them for a SYSTEM user. */
    async listOrganizations(actor: Actor): Promise<OrganizationNode[]> {
      return treeOf(await queries.listOrganizations(db, actor.isSystem ? null : actor.organizationId))
    },

    /** The operators whose devices the caller may see. */
    async listOperators(actor: Actor, { organId }: ParsedInputFor<typeof listOperators>) {
      const scope = await scopeOf(db, actor)
      return queries.listOperators(db, scope, organId === undefined ? null : idNumber(organId))
    },
  }
}

/** A row whose parent is not among the rows stands at the top, with parent 0. */
function treeOf(rows: readonly queries.OrganizationRow[]): OrganizationNode[] {
  const nodes = new Map<number, OrganizationNode>()
  for (const { id, name, code } of rows) {
    nodes.set(id, { id: String(id), parentId: '0', name, code, children: [] })
  }
  const roots: OrganizationNode[] = []
  for (const { id, parentId } of rows) {
    const node = nodes.get(id) as OrganizationNode
    const parent = parentId === null ? undefined : nodes.get(parentId)
    if (parent) node.parentId = parent.id
    ;(parent?.children ?? roots).push(node)
  }
  return roots
}
