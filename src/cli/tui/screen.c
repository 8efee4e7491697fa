#include "cli/tui/screen.h"

#ifdef MER_CURSES
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/tui/model.h"

/* Of the process, as terminals and signals are. */
static struct {
	SCREEN *terminal;
	bool color, is_open;
	volatile sig_atomic_t ended, stop, resized;
	struct termios before;
	char restore[256]; /* what makes the terminal usual again */
	size_t restore_len;
	struct sigaction old[NSIG];
} it;

bool tui_screen_is_built(void)
{
	return true;
}

/* ---- Signals ---- */

static void write_all(const char *text, size_t len)
{
	ssize_t written = write(STDOUT_FILENO, text, len);
	(void)written;
}

/* Only what a signal handler may call. */
static void restore_now(void)
{
	write_all(it.restore, it.restore_len);
	tcsetattr(STDIN_FILENO, TCSANOW, &it.before);
}

static void on_end(int signal_number)
{
	if (it.ended) { /* again: who asked first does not come to it */
		restore_now();
		_exit(128 + signal_number);
	}
	it.ended = signal_number;
}

static void on_stop(int signal_number)
{
	(void)signal_number;
	it.stop = 1;
}

static void on_resize(int signal_number)
{
	(void)signal_number;
	it.resized = 1;
}

/* On any thread: the terminal, then what would have happened without us. */
static void on_crash(int signal_number)
{
	restore_now();
	sigaction(signal_number, &it.old[signal_number], NULL);
	raise(signal_number);
}

static const struct {
	int number;
	void (*handler)(int);
} handled[] = { { SIGINT, on_end }, { SIGTERM, on_end }, { SIGHUP, on_end }, { SIGQUIT, on_end },
	{ SIGTSTP, on_stop }, { SIGWINCH, on_resize }, { SIGSEGV, on_crash }, { SIGBUS, on_crash },
	{ SIGABRT, on_crash }, { SIGFPE, on_crash }, { SIGILL, on_crash } };

static void take_signals(void)
{
	for (size_t i = 0; i < sizeof(handled) / sizeof(*handled); i++) {
		struct sigaction act;
		memset(&act, 0, sizeof(act));
		sigemptyset(&act.sa_mask);
		act.sa_handler = handled[i].handler; /* without SA_RESTART: poll ends */
		act.sa_flags = handled[i].handler == on_crash ? (int)SA_NODEFER : 0;
		sigaction(handled[i].number, &act, NULL);
	}
}

static void note_signals(void)
{
	for (size_t i = 0; i < sizeof(handled) / sizeof(*handled); i++)
		sigaction(handled[i].number, NULL, &it.old[handled[i].number]);
}

static void give_signals_back(void)
{
	for (size_t i = 0; i < sizeof(handled) / sizeof(*handled); i++)
		sigaction(handled[i].number, &it.old[handled[i].number], NULL);
}

int tui_screen_signal(void)
{
	return it.ended;
}

/* Ctrl+Z: the shell gets the terminal as it was; back again, everything is drawn anew. */
static void stop(void)
{
	struct sigaction usual, ours;
	it.stop = 0;
	endwin();
	memset(&usual, 0, sizeof(usual));
	sigemptyset(&usual.sa_mask);
	usual.sa_handler = SIG_DFL;
	sigaction(SIGTSTP, &usual, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	it.resized = 1;
}

/* ---- Colours ---- */

static const struct {
	short color, bright; /* of 8, of 16; -1: the terminal's own */
	attr_t attrs, mono;
} looks[TUI_N_STYLES] = {
	[TUI_PLAIN] = { -1, -1, 0, 0 },
	[TUI_DIM] = { -1, 7, 0, 0 },
	[TUI_BOLD] = { -1, -1, A_BOLD, A_BOLD },
	[TUI_BAR] = { COLOR_CYAN, COLOR_CYAN, A_REVERSE, A_REVERSE },
	[TUI_KEY] = { COLOR_CYAN, COLOR_CYAN, 0, 0 },
	[TUI_ERROR] = { COLOR_RED, 9, A_BOLD, A_BOLD },
	[TUI_MARK] = { COLOR_YELLOW, 11, A_BOLD, A_BOLD },
	[TUI_PATH] = { COLOR_WHITE, 15, A_BOLD, A_BOLD },
	[TUI_USER] = { COLOR_GREEN, 2, 0, 0 },
	[TUI_SYSCALL] = { COLOR_CYAN, 14, 0, 0 },
	[TUI_THREAD] = { COLOR_GREEN, 10, A_BOLD, 0 },
	[TUI_INTERRUPTED] = { COLOR_MAGENTA, 13, A_BOLD, 0 },
	[TUI_RUNNABLE] = { COLOR_YELLOW, 11, A_BOLD, 0 },
	[TUI_DISK] = { COLOR_RED, 9, 0, 0 },
	[TUI_NETWORK] = { COLOR_BLUE, 12, A_BOLD, 0 },
	[TUI_TIMER] = { -1, 8, 0, 0 },
	[TUI_LOCK] = { COLOR_MAGENTA, 5, 0, 0 },
	[TUI_BLOCKED] = { -1, 8, 0, 0 },
	[TUI_UNKNOWN] = { COLOR_RED, 1, 0, 0 },
};

static void make_colors(void)
{
	it.color = it.color && has_colors() && start_color() == OK;
	if (!it.color)
		return;
	bool own = use_default_colors() == OK;
	for (short i = 0; i < TUI_N_STYLES; i++) {
		short color = COLORS >= 16 ? looks[i].bright : looks[i].color;
		init_pair((short)(i + 1), color < 0 && !own ? COLOR_WHITE : color,
			own ? -1 : COLOR_BLACK);
	}
}

static void style_of(uint8_t style, attr_t *attrs, short *pair)
{
	unsigned i = style & ~(unsigned)TUI_REVERSE;
	i = i < TUI_N_STYLES ? i : TUI_PLAIN;
	bool bold_is_bright = it.color && COLORS >= 16 && looks[i].color >= 0 &&
			      looks[i].bright != looks[i].color && i != TUI_ERROR;
	*attrs = it.color ? looks[i].attrs : looks[i].mono;
	if (bold_is_bright)
		*attrs &= ~A_BOLD;
	if (style & TUI_REVERSE)
		*attrs ^= A_REVERSE;
	*pair = it.color ? (short)(i + 1) : 0;
}

/* ---- Open and close ---- */

static void add_string(const char *capability)
{
	const char *s = tigetstr(capability);
	if (!s || s == (char *)-1 || it.restore_len + strlen(s) >= sizeof(it.restore))
		return;
	for (; *s; s++) { /* without times to wait, "$<5>" */
		const char *end = *s == '$' && s[1] == '<' ? strchr(s, '>') : NULL;
		if (end)
			s = end;
		else
			it.restore[it.restore_len++] = *s;
	}
}

int tui_screen_open(bool ascii, bool *color, struct mer_err *err)
{
	const char *term = getenv("TERM");
	memset(&it, 0, sizeof(it));
	it.color = *color;
	/* A login from elsewhere may bring a locale that is not installed here. */
	if (!ascii && (!setlocale(LC_CTYPE, "") || MB_CUR_MAX < 2))
		setlocale(LC_CTYPE, "C.UTF-8");
	tcgetattr(STDIN_FILENO, &it.before);
	note_signals();
	/* The terminal's own size, whatever LINES and COLUMNS say. A serial line knows none, and
	 * ncurses 6.5 opens no screen then unless it may look at these, or at its type's. */
	struct winsize size = { 0 };
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		use_env(FALSE);
		use_tioctl(TRUE);
	}
	it.terminal = newterm(NULL, stdout, stdin);
	if (!it.terminal)
		return mer_fail(err, MER_ERR_SYS,
			"the terminal type '%.100s' (TERM) is not known here, or has no cursor that can be moved",
			term ? term : "");
	add_string("sgr0");
	add_string("cnorm");
	add_string("rmkx");
	add_string("rmcup");
	it.is_open = true;
	take_signals();
	make_colors();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(30);
	curs_set(0);
	*color = it.color;
	return 0;
}

void tui_screen_close(void)
{
	if (!it.is_open)
		return;
	erase();
	refresh();
	endwin();
	delscreen(it.terminal);
	it.is_open = false;
	give_signals_back();
}

void tui_screen_size(int *w, int *h)
{
	if (it.resized) {
		struct winsize size;
		it.resized = 0;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
			resizeterm(size.ws_row, size.ws_col);
		clearok(curscr, TRUE);
	}
	getmaxyx(stdscr, *h, *w);
}

void tui_screen_show(const struct tui_cells *c)
{
	erase();
	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			const struct tui_cell *at = &c->at[(size_t)y * (size_t)c->w + (size_t)x];
			wchar_t text[2] = { (wchar_t)at->ch, 0 };
			attr_t attrs;
			short pair;
			cchar_t ch;
			if (at->ch == ' ' && at->style == TUI_PLAIN)
				continue;
			style_of(at->style, &attrs, &pair);
			setcchar(&ch, text, attrs, pair, NULL);
			mvadd_wch(y, x, &ch);
		}
	refresh();
}

/* ---- Keys ---- */

static uint32_t key_of(int rc, wint_t ch)
{
	static const struct {
		wint_t from;
		uint32_t to;
	} keys[] = { { KEY_UP, TUI_KEY_UP }, { KEY_DOWN, TUI_KEY_DOWN }, { KEY_LEFT, TUI_KEY_LEFT },
		{ KEY_RIGHT, TUI_KEY_RIGHT }, { KEY_PPAGE, TUI_KEY_PAGE_UP },
		{ KEY_NPAGE, TUI_KEY_PAGE_DOWN }, { KEY_HOME, TUI_KEY_HOME },
		{ KEY_END, TUI_KEY_END }, { KEY_ENTER, TUI_KEY_ENTER },
		{ KEY_BACKSPACE, TUI_KEY_BACKSPACE }, { KEY_DC, TUI_KEY_BACKSPACE },
		{ KEY_RESIZE, SCREEN_RESIZED } };
	if (rc == KEY_CODE_YES) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if (keys[i].from == ch)
				return keys[i].to;
		return SCREEN_NO_KEY;
	}
	return ch == '\r' || ch == '\n' ? TUI_KEY_ENTER
	       : ch == 27		? TUI_KEY_ESC
	       : ch == '\t'		? TUI_KEY_TAB
	       : ch == 127 || ch == 8	? TUI_KEY_BACKSPACE
					: (uint32_t)ch;
}

uint32_t tui_screen_key(int timeout_ms)
{
	for (;;) {
		wint_t ch;
		if (it.ended)
			return SCREEN_ENDED;
		if (it.stop)
			stop();
		if (it.resized)
			return SCREEN_RESIZED;
		int rc = get_wch(&ch);
		if (rc != ERR)
			return key_of(rc, ch);
		struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
		int n = poll(&p, 1, timeout_ms);
		if (n == 0)
			return SCREEN_NO_KEY;
		/* Nobody is there any more. */
		if (n > 0 && !(p.revents & POLLIN)) {
			it.ended = SIGHUP;
			return SCREEN_ENDED;
		}
		if (n < 0 && errno != EINTR)
			return SCREEN_ENDED;
	}
}

#else

bool tui_screen_is_built(void)
{
	return false;
}
int tui_screen_open(bool ascii, bool *color, struct mer_err *err)
{
	(void)ascii;
	(void)color;
	return mer_fail(err, MER_ERR_SYS, "this meridian was built without ncurses");
}
void tui_screen_close(void)
{
}
void tui_screen_size(int *w, int *h)
{
	*w = *h = 0;
}
void tui_screen_show(const struct tui_cells *c)
{
	(void)c;
}
uint32_t tui_screen_key(int timeout_ms)
{
	(void)timeout_ms;
	return SCREEN_ENDED;
}
int tui_screen_signal(void)
{
	return 0;
}

#endif
