"""Images for the transcript of the main screen, as the settings and the terminal allow."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pi_term.coding.settings import schema
from pi_term.tui.background import run_in_background
from pi_term.tui.driver import PiDriver
from pi_term.tui.pictures.support import cell_size, protocol_of

if TYPE_CHECKING:
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.tui.pictures.album import Album
    from pi_term.tui.screens.main import MainScreen


class Hanging:
    """Has the album of the moment: another theme or other settings need another one."""

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._album: Album | None = None
        self._settings: SettingsStore | None = None

    def use(self, settings: SettingsStore) -> None:
        """Show images as these settings say."""
        if self._settings is None:
            self._screen.app.app_resume_signal.subscribe(self._screen, self._show_again)
        self._settings = settings
        self.renew()

    def renew(self) -> None:
        """Begin anew, for colours or settings have changed."""
        if self._settings is None:
            return
        self.close()
        self._album = self._new_album(self._settings)
        self._screen.transcript.set_pictures(self._album)

    def close(self) -> None:
        """Let the terminal forget all images."""
        if self._album is not None:
            self._album.close()
            self._album = None

    def _show_again(self, _: object) -> None:
        if self._album is not None:
            self._album.send_again()

    def _new_album(self, settings: SettingsStore) -> Album | None:
        protocol = protocol_of(settings.get(schema.IMAGE_PROTOCOL))
        if protocol is None or not settings.get(schema.SHOW_IMAGES):
            return None
        from pi_term.tui.pictures.album import Album

        if protocol == "kitty" and self._screen.app.console.color_system != "truecolor":
            protocol = "cells"  # colours name the images
        return Album(
            protocol,
            columns=settings.get(schema.IMAGE_WIDTH),
            cell=cell_size(),
            ground=self._screen.program.theme_colours.page_hex,
            send=self._send,
            at_leave=self._at_leave,
            spawn=partial(run_in_background, self._screen, group="images"),
            ready=self._screen.transcript.touch,
        )

    def _send(self, text: str) -> None:
        driver = self._screen.app._driver
        if driver is not None:
            driver.write(text)

    def _at_leave(self, text: str) -> None:
        driver = self._screen.app._driver
        if isinstance(driver, PiDriver):
            driver.surround(lambda around: around.at_leave(text))
