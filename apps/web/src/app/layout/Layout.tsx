// The layout of signed-in pages: sidebar, top bar, and the page: the route's, or what is given.
import { Outlet, useRouterState } from '@tanstack/react-router'
import { readCurrentUser } from '@voltkeep/contract/session'
import { type ReactNode, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { readCookie, writeCookie } from '../../lib/browser/cookie.ts'
import { mobileQuery, useMedia } from '../../lib/browser/media.ts'
import { useHasShown } from '../../lib/firstShown.ts'
import { keepLiveStream } from '../../lib/live/stream.ts'
import { pagePaths } from '../../lib/pages.ts'
import { usePreference } from '../../lib/preferences.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { dropShell } from '../../lib/shell.ts'
import { useStore } from '../../lib/store.ts'
import { texts } from '../../lib/texts/index.ts'
import { call } from '../../lib/wire/call.ts'
import { late } from '../../ui/late.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { logOut } from '../logOut.ts'
import { admitUser } from '../menus.ts'
import { SearchDialog } from '../search/SearchDialog.tsx'
import { useSearchKey } from '../search/useSearchKey.ts'
import { isReadingOn, signInAgain } from '../sessionEnd.ts'
import styles from './Layout.module.css'
import { Sidebar } from './Sidebar.tsx'
import { TopBar } from './TopBar.tsx'

const ChangePasswordDialog = lazyDialog(() => import('../../features/session/ChangePasswordDialog.tsx'))

const AlarmWatch = late(
  () => import('../../features/alarms/watch/AlarmWatch.tsx'),
  () => null,
)
const SettingsDialog = lazyDialog(() => import('../settings/SettingsDialog.tsx'))

const sidebarCookie = 'voltkeep_sidebar'
const yearS = 365 * 24 * 60 * 60

export function Layout({ children = <Outlet /> }: { children?: ReactNode }) {
  useLayoutEffect(dropShell, [])
  const user = useCurrentUser()
  const isMobile = useMedia(mobileQuery)
  const [isSidebarOpen, setSidebarOpen] = useState(() => readCookie(sidebarCookie) !== 'closed')
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [isChangingPassword, setChangingPassword] = useState(false)
  const [isSearching, setSearching] = useState(false)
  const [isSetting, setSetting] = useState(false)
  const alarmPath = useStore(pagePaths).get('maintenance/exitWarning')
  const watchedPath = user.functionCodes.includes('alarm:page') ? alarmPath : undefined
  const isOpen = isMobile ? isDrawerOpen : isSidebarOpen

  const toggle = () => {
    if (isMobile) {
      setDrawerOpen(!isDrawerOpen)
      return
    }
    writeCookie(sidebarCookie, isSidebarOpen ? 'closed' : 'open', yearS)
    setSidebarOpen(!isSidebarOpen)
  }

  const [density = 'normal'] = usePreference('density')
  useEffect(() => {
    document.documentElement.dataset.density = density
  }, [density])

  const isWorking = !user.mustChangePassword
  const hasShown = useHasShown()
  useEffect(() => (isWorking ? keepLiveStream() : undefined), [isWorking])

  useSearchKey(() => setSearching(isWorking))

  // The drawer closes when its user goes to another page.
  const path = useRouterState({ select: (state) => state.location.pathname })
  useEffect(() => {
    if (path) setDrawerOpen(false)
  }, [path])

  return (
    <div className={styles.layout} data-mobile={isMobile || undefined} data-open={isOpen || undefined}>
      <a className={styles.skip} href="#content">
        {texts.layout.skip}
      </a>
      {isMobile && isDrawerOpen && (
        <button
          type="button"
          className={styles.shade}
          aria-label={texts.layout.closeMenu}
          onClick={() => setDrawerOpen(false)}
        />
      )}
      <Sidebar isMobile={isMobile} isOpen={isOpen} onClose={() => setDrawerOpen(false)} />
      <div className={styles.right}>
        <TopBar
          isMenuOpen={isOpen}
          onToggleMenu={toggle}
          onSearch={() => setSearching(true)}
          onChangePassword={() => setChangingPassword(true)}
          onSettings={() => setSetting(isWorking)}
        />
        <Progress />
        <SessionEndBanner />
        <main id="content" className={styles.content} tabIndex={-1}>
          {isWorking && children}
        </main>
      </div>
      {isWorking && hasShown && watchedPath !== undefined && (
        <Suspense>
          <AlarmWatch path={watchedPath} />
        </Suspense>
      )}
      {!isWorking && (
        <ChangePasswordDialog
          isForced
          onClose={() => undefined}
          onDone={() => void call(readCurrentUser, {}).then(admitUser, () => location.reload())}
          otherAction={
            <button type="button" className="button" onClick={() => void logOut()}>
              {texts.session.logout}
            </button>
          }
        />
      )}
      {isSearching && <SearchDialog onClose={() => setSearching(false)} />}
      {isSetting && (
        <SettingsDialog
          seesAlarms={watchedPath !== undefined}
          onChangePassword={() => {
            setSetting(false)
            setChangingPassword(true)
          }}
          onClose={() => setSetting(false)}
        />
      )}
      {isChangingPassword && <ChangePasswordDialog onClose={() => setChangingPassword(false)} />}
    </div>
  )
}

/** Stays as long as the page: a list that no longer moves must not be taken for a quiet one. */
function SessionEndBanner() {
  if (!useStore(isReadingOn)) return null
  return (
    <div className={styles.ended} role="alert">
      {texts.session.ended}
      <button type="button" className="button" onClick={signInAgain}>
        {texts.session.endedAction}
      </button>
    </div>
  )
}

/** A thin line while the next page is loading. */
function Progress() {
  const isLoading = useRouterState({ select: (state) => state.isLoading })
  return isLoading ? (
    <div className={styles.progress} role="progressbar" aria-label={texts.list.loading} />
  ) : null
}
