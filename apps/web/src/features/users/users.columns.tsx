import type { UserRow } from '@voltkeep/contract/users'
import { CopyText } from '../../ui/CopyText.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './users.module.css'
import { userTexts } from './users.texts.ts'

const { fields } = userTexts

export const userColumns: Column<UserRow>[] = [
  {
    key: 'userName',
    title: fields.userName,
    maxWidth: 220,
    fixed: 'left',
    render: ({ userName, isSelf }) => (
      <span className={styles.userName} title={userName}>
        <span>{userName}</span>
        {isSelf && <span className={styles.tag}>{userTexts.self}</span>}
      </span>
    ),
  },
  textColumn('loginName', fields.loginName, { sortBy: 'loginName', sortFirst: 'asc', maxWidth: 130 }),
  {
    key: 'phone',
    title: fields.phone,
    render: ({ phone }) => (phone ? <CopyText text={phone} /> : <Nothing />),
  },
  {
    key: 'roles',
    title: fields.roles,
    maxWidth: 200,
    render: ({ roleNames }) => {
      const names = roleNames.join('、')
      return names ? <span title={names}>{names}</span> : <Nothing />
    },
  },
  {
    key: 'permissions',
    title: fields.permissions,
    width: 76,
    render: ({ hasPermissions }) =>
      hasPermissions ? userTexts.limited : <span className={styles.quiet}>{userTexts.unlimited}</span>,
  },
  textColumn('organizationName', fields.organization, { key: 'organization', maxWidth: 160 }),
  { key: 'type', title: fields.type, render: ({ type, typeName }) => typeName ?? type ?? <Nothing /> },
  {
    key: 'lastSeen',
    title: fields.lastSeen,
    width: 116,
    render: ({ lastSeenTime }) => <RelativeTime time={lastSeenTime} isShort />,
  },
  textColumn('createTime', fields.createTime),
]
