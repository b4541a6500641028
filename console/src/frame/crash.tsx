import { Component, type ReactNode } from 'react'
import { CrashNotice } from './crash-notice.tsx'

/** An exception in one page does not take down the others. */
export class Crash extends Component<{ children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError() {
    return { crashed: true }
  }

  override render() {
    return this.state.crashed ? <CrashNotice /> : this.props.children
  }
}
