// The bar above every page: path, search, live state, tasks, theme, account.
import {
  DesktopOutlined,
  DownOutlined,
  KeyOutlined,
  LogoutOutlined,
  MenuFoldOutlined,
  MenuUnfoldOutlined,
  MoonOutlined,
  SearchOutlined,
  SettingOutlined,
  SunOutlined,
} from '@ant-design/icons'
import { Link, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { chooseTheme, themeChoices, useIsDark, useThemeChoice } from '../../lib/browser/theme.ts'
import { useHasShown } from '../../lib/firstShown.ts'
import { useLiveState } from '../../lib/live/live.ts'
import { notify } from '../../lib/notices.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { texts } from '../../lib/texts/index.ts'
import { MenuButton } from '../../ui/buttons/MenuButton.tsx'
import { late } from '../../ui/late.tsx'
import { logOut } from '../logOut.ts'
import { menus } from '../menus.ts'
import { searchTexts } from '../search/search.texts.ts'
import styles from './TopBar.module.css'

const TaskButton = late(
  () => import('../tasks/TaskButton.tsx'),
  () => null,
)

const ApprovalButton = late(
  () => import('../approvals/ApprovalButton.tsx'),
  () => null,
)

export interface TopBarProps {
  isMenuOpen: boolean
  onToggleMenu: () => void
  onSearch: () => void
  onChangePassword: () => void
  onSettings: () => void
}

export function TopBar({ isMenuOpen, onToggleMenu, onSearch, onChangePassword, onSettings }: TopBarProps) {
  return (
    <header className={styles.bar}>
      <button
        type="button"
        className={styles.iconButton}
        aria-label={isMenuOpen ? texts.layout.closeMenu : texts.layout.openMenu}
        aria-expanded={isMenuOpen}
        onClick={onToggleMenu}
      >
        {isMenuOpen ? <MenuFoldOutlined /> : <MenuUnfoldOutlined />}
      </button>
      <Breadcrumb />
      <div className={styles.right}>
        <LiveSign />
        <SearchButton onSearch={onSearch} />
        <Tasks />
        <ThemeButton onSettings={onSettings} />
        <UserButton onChangePassword={onChangePassword} onSettings={onSettings} />
      </div>
    </header>
  )
}

/** Its place stays empty until the page has shown its first content. */
function Tasks() {
  const hasShown = useHasShown()
  const { mustChangePassword } = useCurrentUser()
  return (
    <span className={styles.tasks}>
      {hasShown && !mustChangePassword && (
        <Suspense>
          <ApprovalButton className={styles.iconButton} />
          <TaskButton className={styles.iconButton} />
        </Suspense>
      )}
    </span>
  )
}

/** On a desktop with its key; on a phone only an icon. */
function SearchButton({ onSearch }: { onSearch: () => void }) {
  const key = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'
  return (
    <button
      type="button"
      className={styles.search}
      aria-keyshortcuts="Control+K Meta+K"
      title={searchTexts.open}
      onClick={onSearch}
    >
      <SearchOutlined aria-hidden="true" />
      <span className={styles.searchWord}>{searchTexts.title}</span>
      <span className={styles.searchKey}>{key}</span>
    </button>
  )
}

/** Always from the first page down. */
function Breadcrumb() {
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/+$/, '') })
  const { routes } = useStore(menus)
  const route = routes.get(path)
  const crumbs = route ? [...route.ancestors, route.title] : []
  return (
    <nav className={styles.crumbs} aria-label={texts.layout.breadcrumb}>
      <ol>
        <li>
          <Link
            to="/dashboard"
            title={texts.layout.homeTitle}
            aria-current={crumbs.length === 0 ? 'page' : undefined}
          >
            {texts.layout.home}
          </Link>
        </li>
        {crumbs.map((crumb, at) => (
          <li key={crumb} aria-current={at === crumbs.length - 1 ? 'page' : undefined}>
            {crumb}
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** Hidden while all is well; a lost connection is shown, and its return is announced once. */
function LiveSign() {
  const state = useLiveState()
  const wasLost = useRef(false)
  useEffect(() => {
    if (state === 'connected' && wasLost.current) notify.success(texts.live.restored)
    wasLost.current = state === 'reconnecting'
  }, [state])
  if (state !== 'reconnecting') return null
  return (
    <span className={styles.live} role="status" title={texts.live.reconnecting}>
      <span className={styles.liveDot} aria-hidden="true" />
      <span className={styles.liveLong}>{texts.live.reconnecting}</span>
      <span className={styles.liveShort}>{texts.live.reconnectingShort}</span>
    </span>
  )
}

const themeIcons = { light: <SunOutlined />, dark: <MoonOutlined />, system: <DesktopOutlined /> }

function ThemeButton({ onSettings }: Pick<TopBarProps, 'onSettings'>) {
  const choice = useThemeChoice()
  const isDark = useIsDark()
  return (
    <MenuButton
      label={texts.theme.label}
      className={styles.iconButton}
      choices={[
        ...themeChoices.map((each) => ({
          key: each,
          label: texts.theme[each],
          icon: themeIcons[each],
          isChecked: each === choice,
          onSelect: () => chooseTheme(each),
        })),
        settingsChoice(onSettings),
      ]}
    >
      {isDark ? themeIcons.dark : themeIcons.light}
    </MenuButton>
  )
}

/** From the places where some of the settings stand, too. */
const settingsChoice = (onSelect: () => void) => ({
  key: 'settings',
  label: texts.layout.settings,
  icon: <SettingOutlined />,
  onSelect,
})

function UserButton({ onChangePassword, onSettings }: Pick<TopBarProps, 'onChangePassword' | 'onSettings'>) {
  const { userName, loginName } = useCurrentUser()
  return (
    <MenuButton
      label={`${texts.layout.account} ${userName}`}
      head={texts.layout.who(userName, loginName)}
      className={styles.user}
      choices={[
        settingsChoice(onSettings),
        {
          key: 'password',
          label: texts.session.changePassword,
          icon: <KeyOutlined />,
          onSelect: onChangePassword,
        },
        {
          key: 'logout',
          label: texts.session.logout,
          icon: <LogoutOutlined />,
          onSelect: () => void logOut(),
        },
      ]}
    >
      <span className={styles.userName} title={userName}>
        {userName}
      </span>
      <DownOutlined className={styles.down ?? ''} />
    </MenuButton>
  )
}
