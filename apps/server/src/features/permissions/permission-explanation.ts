import type { PermissionExplanation } from '@voltkeep/contract'
import type { Authorities, DataScope } from '../../domain/access/data-scope.ts'
import type { DevicePlace } from './permissions.queries.ts'

type Check = PermissionExplanation['checks'][number]

/**
 * Why a user of this scope sees a device or does not: each of the four conditions with its own reason, in the order in
 * which they narrow. The entries are the user's choice, the scope is its result.
 */
export function explain(
  device: DevicePlace,
  user: { isSystem: boolean; authorities: Authorities; scope: DataScope },
): Check[] {
  if (user.isSystem) {
    return [{ by: 'system', isPassed: true, reason: '系统用户，可以看到全部设备' }]
  }
  const { authorities, scope } = user
  const operator = `运营商“${device.operatorName}”`
  const equipType = `设备类型“${device.equipTypeName}”`
  const region = `地区“${device.regionName}”`
  return [
    {
      by: 'organization',
      isPassed: device.isInOrganization,
      reason: device.isInOrganization
        ? `设备所属组织“${device.organizationName}”在用户组织“${device.userOrganizationName}”之内`
        : `设备所属组织“${device.organizationName}”不在用户组织“${device.userOrganizationName}”及其下级之内`,
    },
    narrowed('operator', authorities.O, '未限制运营商', operator, () =>
      authorities.O.includes(String(device.operatorId)),
    ),
    narrowed('equipType', authorities.ET, '未限制设备类型', equipType, () =>
      authorities.ET.includes(String(device.equipTypeId)),
    ),
    narrowed('region', authorities.R, '未限制地区', region, () =>
      (scope.regionIds ?? []).includes(device.regionId),
    ),
  ]
}

function narrowed(
  by: Check['by'],
  chosen: readonly string[],
  free: string,
  what: string,
  isChosen: () => boolean,
): Check {
  if (chosen.length === 0) return { by, isPassed: true, reason: free }
  const isPassed = isChosen()
  return { by, isPassed, reason: isPassed ? `${what}在允许的范围内` : `${what}不在允许的范围内` }
}
